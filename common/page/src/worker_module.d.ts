// Declares the type of an import with ?worker&inline in Vite.
declare module "*?worker&inline" {
    const Inline: new () => Worker;
    export default Inline;
}
