# Planet Wars: says what the virtual machine of Java may say on stdout.
echo "OpenJDK 64-Bit Server VM warning: Sharing is only supported for boot loader classes"
while read line; do
    if [ "$line" = go ]; then
        echo go
    fi
done
