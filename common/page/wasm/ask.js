// Asks the module a question. README.md lists the questions. Returns the answer, or throws an error
// named "Refusal" that explains why there is none.
Module.ask = (name, question) => {
    const text = JSON.stringify({ ask: name, ...question });
    const bytes = lengthBytesUTF8(text) + 1;
    const pointer = _malloc(bytes);
    stringToUTF8(text, pointer, bytes);
    const answer = JSON.parse(UTF8ToString(_page_ask(pointer)));
    _free(pointer);
    if (answer.error) throw Object.assign(new Error(answer.error), { name: "Refusal" });
    return answer;
};
