# Planet Wars: starts another program.
while read line; do
    if [ "$(echo "$line" | cut -c 1-2)" = go ]; then
        echo go
    fi
done
