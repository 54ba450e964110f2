// Implements the part of WASI (preview 1) that a compiler needs, for one run of a program: files in memory, arguments
// and output. The only folder is "/". Links, times and the creation of folders are not supported.

/** WASI's error numbers. */
const errors = { none: 0, badFile: 8, exists: 20, invalid: 28, isFolder: 31, noEntry: 44, noSystem: 52, noFolder: 54 } as const;
const types = { unknown: 0, characters: 2, folder: 3, file: 4 } as const;
const openFlags = { create: 1, folder: 2, exclusive: 4, truncate: 8 } as const;
const rootDescriptor = 3;

/** An exception that ends the program. */
export class Exit extends Error {
    constructor(readonly code: number) {
        super(`The program ended with ${code}.`);
    }
}

/**
 * A file in memory. Its bytes are the first `size` bytes of `space`, which grows by doubling, because programs write
 * small pieces.
 */
class MemoryFile {
    constructor(
        readonly number: number,
        private space: Uint8Array = new Uint8Array(),
        public size = space.length,
    ) {}

    get bytes(): Uint8Array {
        return this.space.subarray(0, this.size);
    }

    write(bytes: Uint8Array, at: number) {
        const end = at + bytes.length;
        if (end > this.space.length) {
            const larger = new Uint8Array(Math.max(end, 2 * this.space.length, 4096));
            larger.set(this.bytes);
            this.space = larger;
        }
        // The bytes after the end of the file may contain old data from before the file was truncated.
        if (at > this.size) this.space.fill(0, this.size, at);
        this.space.set(bytes, at);
        this.size = Math.max(this.size, end);
    }

    cut() {
        this.space = new Uint8Array();
        this.size = 0;
    }
}

/** An open file with a position, an open folder, or the output. */
type Open = { file: MemoryFile; at: number } | { folder: string } | { print: (bytes: Uint8Array) => void };

/** Normalizes a path: removes slashes at the ends, "." and "..". The root is "". */
function normalizePath(path: string): string {
    const parts: string[] = [];
    for (const part of path.split("/")) {
        if (part === "..") parts.pop();
        else if (part !== "" && part !== ".") parts.push(part);
    }
    return parts.join("/");
}

export class System {
    private readonly files = new Map<string, MemoryFile>();
    /** The inode numbers of folders and files. Programs use them to tell files apart. */
    private readonly numbers = new Map<string, number>();
    private readonly descriptors: (Open | undefined)[];
    private readonly printed: Uint8Array[] = [];
    private memory!: WebAssembly.Memory;
    private random = 1;

    constructor(
        private readonly programArguments: string[],
        files: Map<string, Uint8Array>,
    ) {
        for (const [path, bytes] of files) this.add(normalizePath(path), bytes);
        const print = (bytes: Uint8Array) => void this.printed.push(bytes.slice());
        this.descriptors = [{ print: () => {} }, { print }, { print }, { folder: "" }];
    }

    /** Runs a program and returns its exit code. */
    run(module: WebAssembly.Module): number {
        const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: this.imports() });
        this.memory = instance.exports.memory as WebAssembly.Memory;
        try {
            (instance.exports._start as () => void)();
            return 0;
        } catch (error) {
            if (error instanceof Exit) return error.code;
            throw error;
        }
    }

    /** Returns the output of the program on stdout and stderr. */
    text(): string {
        const decoder = new TextDecoder();
        return this.printed.map((bytes) => decoder.decode(bytes, { stream: true })).join("") + decoder.decode();
    }

    file(path: string): Uint8Array | undefined {
        return this.files.get(normalizePath(path))?.bytes;
    }

    // ---- files ----

    private add(path: string, bytes?: Uint8Array): MemoryFile {
        const file = new MemoryFile(this.numberOf(path), bytes);
        this.files.set(path, file);
        return file;
    }

    private numberOf(path: string): number {
        const number = this.numbers.get(path) ?? this.numbers.size + 1;
        this.numbers.set(path, number);
        return number;
    }

    private isFolder(path: string): boolean {
        if (path === "") return true;
        for (const name of this.files.keys()) if (name.startsWith(path + "/")) return true;
        return false;
    }

    private openFile(descriptor: number): { file: MemoryFile; at: number } | undefined {
        const open = this.descriptors[descriptor];
        return open && "file" in open ? open : undefined;
    }

    // ---- the program's memory ----

    private get view(): DataView {
        return new DataView(this.memory.buffer);
    }

    private bytesAt(pointer: number, length: number): Uint8Array {
        return new Uint8Array(this.memory.buffer, pointer, length);
    }

    private pathAt(folder: number, pointer: number, length: number): string | undefined {
        const open = this.descriptors[folder];
        if (!open || !("folder" in open)) return undefined;
        return normalizePath(open.folder + "/" + new TextDecoder().decode(this.bytesAt(pointer, length)));
    }

    /** Returns the memory ranges that a list of pointers and lengths describes. */
    private pieces(list: number, count: number): Uint8Array[] {
        const view = this.view;
        return Array.from({ length: count }, (_, i) =>
            this.bytesAt(view.getUint32(list + 8 * i, true), view.getUint32(list + 8 * i + 4, true)),
        );
    }

    private writeStatus(to: number, type: number, number: number, size: number): number {
        this.bytesAt(to, 64).fill(0);
        const view = this.view;
        view.setBigUint64(to + 8, BigInt(number), true);
        view.setUint8(to + 16, type);
        view.setBigUint64(to + 24, 1n, true);
        view.setBigUint64(to + 32, BigInt(size), true);
        return errors.none;
    }

    private readInto(list: number, count: number, file: MemoryFile, at: number): number {
        let read = 0;
        for (const piece of this.pieces(list, count)) {
            const bytes = file.bytes.subarray(at + read, at + read + piece.length);
            piece.set(bytes);
            read += bytes.length;
        }
        return read;
    }

    /** Writes a list of null-terminated strings, such as the arguments, and pointers to them. */
    private writeTexts(texts: string[], pointers: number, to: number): number {
        for (const text of texts) {
            this.view.setUint32(pointers, to, true);
            pointers += 4;
            const bytes = new TextEncoder().encode(text + "\0");
            this.bytesAt(to, bytes.length).set(bytes);
            to += bytes.length;
        }
        return errors.none;
    }

    // ---- the functions that a program calls ----

    private imports(): Record<string, (...values: never[]) => number> {
        const none = () => errors.noSystem;
        return {
            ...this.processFunctions(),
            ...this.descriptorFunctions(),
            ...this.pathFunctions(),
            fd_readdir: none,
            fd_filestat_set_times: none,
            path_create_directory: none,
            path_link: none,
            path_remove_directory: none,
            path_symlink: none,
            poll_oneoff: none,
        };
    }

    private processFunctions() {
        const texts = this.programArguments;
        return {
            args_sizes_get: (count: number, size: number) => {
                this.view.setUint32(count, texts.length, true);
                this.view.setUint32(size, new TextEncoder().encode(texts.join("\0") + "\0").length, true);
                return errors.none;
            },
            args_get: (pointers: number, to: number) => this.writeTexts(texts, pointers, to),
            environ_sizes_get: (count: number, size: number) => {
                this.view.setUint32(count, 0, true);
                this.view.setUint32(size, 0, true);
                return errors.none;
            },
            environ_get: () => errors.none,
            clock_time_get: (_clock: number, _precision: bigint, to: number) => {
                this.view.setBigUint64(to, BigInt(Math.floor(performance.now() * 1e6)), true);
                return errors.none;
            },
            // Return the same bytes in each run, because clang derives the names of temporary files from them.
            random_get: (to: number, length: number) => {
                for (const bytes = this.bytesAt(to, length); length-- > 0; ) {
                    this.random = (Math.imul(this.random, 1664525) + 1013904223) >>> 0;
                    bytes[length] = this.random >>> 24;
                }
                return errors.none;
            },
            proc_exit: (code: number): number => {
                throw new Exit(code);
            },
        };
    }

    private descriptorFunctions() {
        return {
            fd_prestat_get: (descriptor: number, to: number) => {
                if (descriptor !== rootDescriptor) return errors.badFile;
                this.view.setUint32(to, 0, true);
                this.view.setUint32(to + 4, 1, true);
                return errors.none;
            },
            fd_prestat_dir_name: (_descriptor: number, to: number) => {
                this.view.setUint8(to, "/".charCodeAt(0));
                return errors.none;
            },
            fd_fdstat_get: (descriptor: number, to: number) => {
                const open = this.descriptors[descriptor];
                if (!open) return errors.badFile;
                this.bytesAt(to, 24).fill(0);
                this.view.setUint8(to, "file" in open ? types.file : "folder" in open ? types.folder : types.characters);
                // Grant all rights.
                this.view.setBigUint64(to + 8, 0xffffffffn, true);
                this.view.setBigUint64(to + 16, 0xffffffffn, true);
                return errors.none;
            },
            fd_filestat_get: (descriptor: number, to: number) => {
                const open = this.descriptors[descriptor];
                if (!open) return errors.badFile;
                if ("file" in open) return this.writeStatus(to, types.file, open.file.number, open.file.size);
                if ("folder" in open) return this.writeStatus(to, types.folder, this.numberOf(open.folder), 0);
                return this.writeStatus(to, types.characters, 0, 0);
            },
            fd_filestat_set_size: (descriptor: number, size: bigint) => {
                const open = this.openFile(descriptor);
                if (!open) return errors.badFile;
                if (size === 0n) open.file.cut();
                else if (Number(size) > open.file.size) open.file.write(new Uint8Array(), Number(size));
                else open.file.size = Number(size);
                return errors.none;
            },
            fd_close: (descriptor: number) => {
                if (!this.descriptors[descriptor]) return errors.badFile;
                this.descriptors[descriptor] = undefined;
                return errors.none;
            },
            ...this.readingAndWriting(),
        };
    }

    private readingAndWriting() {
        return {
            fd_read: (descriptor: number, list: number, count: number, read: number) => {
                const open = this.openFile(descriptor);
                if (!open) return errors.badFile;
                const bytes = this.readInto(list, count, open.file, open.at);
                open.at += bytes;
                this.view.setUint32(read, bytes, true);
                return errors.none;
            },
            fd_pread: (descriptor: number, list: number, count: number, at: bigint, read: number) => {
                const open = this.openFile(descriptor);
                if (!open) return errors.badFile;
                this.view.setUint32(read, this.readInto(list, count, open.file, Number(at)), true);
                return errors.none;
            },
            fd_write: (descriptor: number, list: number, count: number, written: number) => {
                const open = this.descriptors[descriptor];
                if (!open || "folder" in open) return errors.badFile;
                let bytes = 0;
                for (const piece of this.pieces(list, count)) {
                    if ("print" in open) open.print(piece);
                    else {
                        open.file.write(piece, open.at);
                        open.at += piece.length;
                    }
                    bytes += piece.length;
                }
                this.view.setUint32(written, bytes, true);
                return errors.none;
            },
            fd_seek: (descriptor: number, by: bigint, from: number, place: number) => {
                const open = this.openFile(descriptor);
                if (!open) return errors.badFile;
                open.at = Number(by) + (from === 0 ? 0 : from === 1 ? open.at : open.file.size);
                this.view.setBigUint64(place, BigInt(open.at), true);
                return errors.none;
            },
        };
    }

    private pathFunctions() {
        return {
            path_open: (
                folder: number, _links: number, pointer: number, length: number, flags: number,
                _rights: bigint, _inherited: bigint, _descriptorFlags: number, to: number,
            ) => {
                const path = this.pathAt(folder, pointer, length);
                if (path === undefined) return errors.badFile;
                const opened = this.open(path, flags);
                if (typeof opened === "number") return opened;
                this.view.setUint32(to, this.descriptors.push(opened) - 1, true);
                return errors.none;
            },
            path_filestat_get: (folder: number, _links: number, pointer: number, length: number, to: number) => {
                const path = this.pathAt(folder, pointer, length);
                if (path === undefined) return errors.badFile;
                const file = this.files.get(path);
                if (file) return this.writeStatus(to, types.file, file.number, file.size);
                if (this.isFolder(path)) return this.writeStatus(to, types.folder, this.numberOf(path), 0);
                return errors.noEntry;
            },
            path_readlink: () => errors.invalid,
            path_rename: (
                folder: number, pointer: number, length: number,
                newFolder: number, newPointer: number, newLength: number,
            ) => {
                const path = this.pathAt(folder, pointer, length);
                const newPath = this.pathAt(newFolder, newPointer, newLength);
                if (path === undefined || newPath === undefined) return errors.badFile;
                const file = this.files.get(path);
                if (!file) return errors.noEntry;
                this.files.delete(path);
                this.files.set(newPath, file);
                return errors.none;
            },
            path_unlink_file: (folder: number, pointer: number, length: number) => {
                const path = this.pathAt(folder, pointer, length);
                if (path === undefined) return errors.badFile;
                return this.files.delete(path) ? errors.none : errors.noEntry;
            },
        };
    }

    private open(path: string, flags: number): Open | number {
        const file = this.files.get(path);
        if (file) {
            if (flags & openFlags.folder) return errors.noFolder;
            if (flags & openFlags.create && flags & openFlags.exclusive) return errors.exists;
            if (flags & openFlags.truncate) file.cut();
            return { file, at: 0 };
        }
        if (this.isFolder(path)) return flags & openFlags.create ? errors.isFolder : { folder: path };
        if (flags & openFlags.create) return { file: this.add(path), at: 0 };
        return errors.noEntry;
    }
}
