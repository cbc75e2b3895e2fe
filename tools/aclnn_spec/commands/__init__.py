"""The commands of `aclnn-spec`, a module each; `run(arguments)` prints and gives the exit code."""
