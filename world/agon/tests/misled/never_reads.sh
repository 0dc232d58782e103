# Planet Wars: answers again and again without reading.
exec yes go
