# Lighthouses: writes a dictionary of Python where JSON is expected.
input()
print({"name": "quotes"}, flush=True)
while True:
    input()
    print({"command": "pass"}, flush=True)
