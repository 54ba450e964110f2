// The one way to ask the module something, put into it: README.md says what there is to ask. Gives the answer, or
// throws an error called "Refusal" with the words of why there is none.
Module.ask = (name, question) => {
    const text = typeof question === "string" ? question : JSON.stringify(question);
    const bytes = lengthBytesUTF8(text) + 1;
    const pointer = _malloc(bytes);
    stringToUTF8(text, pointer, bytes);
    const answer = JSON.parse(UTF8ToString(Module["_" + name](pointer)));
    _free(pointer);
    if (answer.error) throw Object.assign(new Error(answer.error), { name: "Refusal" });
    return answer;
};
