# Writes a source in which coalesce::page::FUNCTION() returns the text of FILE, or "{}" if FILE is empty:
# cmake -DFILE=... -DFUNCTION=... -DSOURCE=... -P embed.cmake
set(text "{}")
if(FILE)
  file(READ ${FILE} text)
endif()
file(WRITE ${SOURCE} "#include \"page/wasm/course_files.h\"\n\n"
  "std::string_view coalesce::page::${FUNCTION}() {\n    return R\"text(${text})text\";\n}\n")
