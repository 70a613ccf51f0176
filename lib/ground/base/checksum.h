/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CRC-64/ECMA-182, which detects damaged files. */
#ifndef BXT_BASE_CHECKSUM_H
#define BXT_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of data followed by n bytes, where `crc` is the checksum of that data; 0 for the
 * first call. */
uint64_t bxt_checksum(uint64_t crc, const void *bytes, size_t n);

#endif
