/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CRC-64/ECMA-182, by which a file is known to be whole. */
#ifndef BXT_BASE_CHECKSUM_H
#define BXT_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of n bytes after those that `crc` is that of; 0 at first. */
uint64_t bxt_checksum(uint64_t crc, const void *bytes, size_t n);

#endif
