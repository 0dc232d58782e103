# Planet Wars: prints what it does among its answers.
while read line; do
    if [ "$line" = go ]; then
        echo "Now thinking about turn"
        echo go
    fi
done
