#!/bin/sh
# Is not executable.
echo go
