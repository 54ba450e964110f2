// Loads large scripts from the page's folder when they are first needed. This also works for a page that was opened
// from the file system.

const loading = new Map<string, Promise<void>>();

/** Waits until the script called `name` has run. Returns at once if `isThere` reports that it has. */
export function loadScript(name: string, isThere: () => boolean): Promise<void> {
    if (isThere()) return Promise.resolve();
    const begun = loading.get(name);
    if (begun) return begun;
    const script = new Promise<void>((resolve, reject) => {
        const element = document.createElement("script");
        element.src = name;
        element.addEventListener("load", () => resolve());
        element.addEventListener("error", () => {
            loading.delete(name);
            reject(new Error(`${name} could not be loaded. Reload the page.`));
        });
        document.head.append(element);
    });
    loading.set(name, script);
    return script;
}
