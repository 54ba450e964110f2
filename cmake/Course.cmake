# What the project's targets have in common.

# Warnings that our own C++ is built with. They are errors.
# (g++ 12 sees overlapping copies in std::string's own operator+ where there are none.)
set(COALESCE_WARNINGS $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Werror;-Wno-restrict>)
