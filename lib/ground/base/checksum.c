/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/base/checksum.h"

/* CRC-64/ECMA-182 from the highest bit: the polynomial division of one byte. */
static uint64_t divide_byte(uint64_t crc)
{
	static const uint64_t POLYNOMIAL = UINT64_C(0x42F0E1EBA9EA3693);
	for (int bit = 0; bit < 8; bit++)
		crc = crc >> 63 ? crc << 1 ^ POLYNOMIAL : crc << 1;
	return crc;
}

/* Long ones by a table of all bytes. */
uint64_t bxt_checksum(uint64_t crc, const void *bytes, size_t n)
{
	enum { LONG = 1024 };
	const unsigned char *at = bytes;
	uint64_t table[256];
	for (unsigned k = 0; k < 256 && n >= LONG; k++)
		table[k] = divide_byte((uint64_t)k << 56);
	for (size_t i = 0; i < n; i++)
		crc = n >= LONG ? crc << 8 ^ table[(crc >> 56) ^ at[i]]
				: divide_byte(crc ^ (uint64_t)at[i] << 56);
	return crc;
}
