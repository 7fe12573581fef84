/** The output of `hooklet jq --help`. */
export const JQ_HELP = `Usage: hooklet jq [options] PROGRAM [FILE…]

Runs a jq program on the JSON texts of the files, or of standard input.

Output:
  -c, --compact-output   an output a line
  -r, --raw-output       texts without quotes
  -j, --join-output      as -r, without line ends
  --raw-output0          as -r, with NUL instead of line ends
  -a, --ascii-output     other characters as \\uXXXX
  -S, --sort-keys        keys in order
  --tab, --indent N      indent with tabs, or with N spaces (0 to 7)
  --seq                  a record separator before each output
  -C, -M, --unbuffered   taken, without effect

Input:
  -n, --null-input       run the program once, on null
  -s, --slurp            all inputs as one array
  -R, --raw-input        lines as texts
  --stream               inputs as paths and values

Program:
  -f, --from-file        PROGRAM is a file
  --arg NAME VALUE       $NAME is a text
  --argjson NAME JSON    $NAME is a JSON value
  --slurpfile NAME FILE  $NAME is an array of the JSON texts of a file
  --rawfile NAME FILE    $NAME is the text of a file
  --args, --jsonargs     what follows PROGRAM is $ARGS.positional, not files
  -e, --exit-status      exit code 1 where the last output is false or null, 4 where there is none

Exit codes: 0 done, 2 wrong usage or input, 3 a program that does not compile, 5 an error of the program.
`;
