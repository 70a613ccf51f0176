# SPDX-License-Identifier: GPL-3.0-or-later
#
# Takes a page apart into what a reader does, in order: one line each on standard output,
#
#     write NAME FILE     an ```xml block (or ```csv, ```c) that begins with <!-- file: NAME -->
#     run FILE            a line "$ boxtimes ..." of a ```console block, and what it prints
#
# FILE, in the folder `work`, has the text: of a command first its arguments, then its output.
function begin()
{
	name = sprintf("%s/%03d", work, ++n)
	printf "" > name
}
/^```/ && block == "" {
	block = substr($0, 4)
	first = 1
	next
}
/^```/ {
	block = ""
	next
}
block == "console" && /^\$ boxtimes / {
	begin()
	print "run " name
	print substr($0, 12) > name
	next
}
block == "console" {
	print > name
	next
}
block != "" && first && /^(<!-- file:|# file:|\/\* file:) / {
	begin()
	print "write " $3 " " name
	writing = block
}
block != "" {
	if (writing == block)
		print > name
	first = 0
}
block == "" { writing = "" }
