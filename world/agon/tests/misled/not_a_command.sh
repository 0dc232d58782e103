# Planet Wars: answers with the output of a program that is not installed.
while read -r line; do
    if [ "$line" = go ]; then echo "$(compute_moves)"; fi
done
