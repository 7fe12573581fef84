# Counts the lines after each line that begins with the mark. The mark is random, so nobody can have written such a
# row.
function tell() { if (name != "") print name "|" count }
index($0, mark "|") == 1 {tell(); name = substr($0, length(mark) + 2); count = 0; next}
{count++}
END {tell()}
