import type { FFIFunction } from 'bun:ffi'

const names = ['libc.so.6', 'libc.so', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1']

/**
 * Functions of the C library, for system calls that the runtime does not offer; undefined where the library cannot be
 * called. Loading the first function takes two megabytes of memory, so load it only when needed.
 */
export async function openLibrary<const Functions extends Readonly<Record<string, FFIFunction>>>(
  functions: Functions,
) {
  if (process.platform !== 'linux') return undefined
  const { dlopen, ptr } = await import('bun:ffi')
  for (const name of names) {
    try {
      return { symbols: dlopen(name, functions).symbols, ptr }
    } catch {
      // Other systems use another name for the library.
    }
  }
  return undefined
}
