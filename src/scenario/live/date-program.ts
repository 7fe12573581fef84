import { shellWord } from '../../lib/shell-word.ts';

/**
 * The text of a stand-in for `date`: the time in `file`, in each format of the `real` program; `-d` with a time of its
 * own, one relative to now, or a time of today, tomorrow or yesterday. What else is relative is refused, since the real
 * program would take its own time.
 */
export function dateProgram(real: string, file: string): string {
  return `#!/bin/sh
real=${shellWord(real)}
file=${shellWord(file)}
${SCRIPT}`;
}

// What is relative comes before the time, which would take `-1` after it for a time zone.
const SCRIPT = `read -r now ms < "$file" || exec "$real" "$@"
utc=; given=; operand=; format='%Y-%m-%d %H:%M:%S'
for arg in "$@"; do
  if [ -n "$operand" ]; then given=$arg; operand=; continue; fi
  case $arg in
    -u|--utc|--universal) utc=-u ;;
    -d|--date) operand=yes ;;
    --date=*) given=\${arg#--date=} ;;
    -d*) given=\${arg#-d} ;;
    +*%*N*) now=$now.$ms ;;
    +*|-I*|--iso-8601*|-R|--rfc-email|--rfc-3339=*) ;;
    *) exec "$real" "$@" ;;
  esac
done
if [ -z "$given$operand" ]; then exec "$real" -d "@$now" "$@"; fi
amount=\${given#[-+]}
amount=\${amount# }
unit=\${amount#"\${amount%%[!0-9]*}"}
if [ "$unit" = "$amount" ]; then unit=\${amount#next }; unit=\${unit#last }; [ "$unit" != "$amount" ] || unit=; fi
case \${unit# } in
  sec|secs|second|seconds|min|mins|minute|minutes|hour|hours|day|days|week|weeks|fortnight|fortnights|month|months|year|years) ;;
  *' ago') ;;
  *) case $given in
    now|today|yesterday|tomorrow) ;;
    ''|*[0-9][0-9][0-9][0-9]*|@*) exec "$real" "$@" ;;
    *)
      format=%Y-%m-%d
      for word in $given; do
        case $word in
          today|yesterday|tomorrow|[0-9]:[0-9]*|[0-9][0-9]:[0-9]*|UTC) ;;
          *) echo "date: got -d '$given', which a story does not know beside its virtual time; give a date, or put a stand-in called date beside it" >&2; exit 1 ;;
        esac
      done ;;
  esac ;;
esac
wall=$("$real" $utc -d "@\${now%.*}" "+$format") || exit
for arg in "$@"; do
  shift
  if [ -n "$operand" ]; then operand=; continue; fi
  case $arg in
    -d|--date) operand=yes ;;
    -d*|--date=*) ;;
    *) set -- "$@" "$arg" ;;
  esac
done
exec "$real" -d "$given $wall" "$@"
`;
