# Writes the manual page simulate(1) to the file MAN_PAGE, from the output of SIMULATE --help.
execute_process(COMMAND ${SIMULATE} --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${SIMULATE} --version OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY
                OUTPUT_STRIP_TRAILING_WHITESPACE)
# In roff, a backslash starts an escape sequence, and a period at the start of a line starts a request.
string(REPLACE "\\" "\\e" help "${help}")
string(REPLACE "-" "\\-" help "${help}")
string(REGEX REPLACE "\n([.'])" "\n\\\\&\\1" help "${help}")
file(WRITE ${MAN_PAGE} ".TH SIMULATE 1 \"\" \"${version}\"
.SH NAME
simulate \\- run a CUDA program on a simulated GPU
.SH SYNOPSIS
simulate [OPTIONS] PROGRAM [ARGUMENTS...]
.SH DESCRIPTION
.nf
${help}.fi
")
