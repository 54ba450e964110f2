// Puts the only way to ask the module something into it: README.md describes the questions. Returns the answer, or
// throws an error called "Refusal" whose message says why there is none.
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
