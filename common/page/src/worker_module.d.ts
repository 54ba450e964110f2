// What Vite makes of an import with ?worker&inline.
declare module "*?worker&inline" {
    const Inline: new () => Worker;
    export default Inline;
}
