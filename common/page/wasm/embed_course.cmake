# Writes a source in which coalesce::page::course_texts() returns the course's records. FILES are separated by "|":
# cmake -DFILES=... -DROOT=... -DSOURCE=... -P embed_course.cmake
string(REPLACE "|" ";" files "${FILES}")
set(source "#include \"page/wasm/course_files.h\"\n\nstd::vector<coalesce::course::CourseText> coalesce::page::course_texts() {\n    return {\n")
foreach(file ${files})
  file(RELATIVE_PATH name ${ROOT} ${file})
  file(READ ${file} text)
  string(APPEND source "        {\"${name}\", R\"record(${text})record\"},\n")
endforeach()
string(APPEND source "    };\n}\n")
file(WRITE ${SOURCE} "${source}")
