import type { FFIFunction } from 'bun:ffi'

const names = ['libc.so.6', 'libc.so', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1']

/**
 * Functions of the C library, for questions that the runtime does not answer; undefined where it cannot be called. Two
 * megabytes come with the first of them, so nobody asks before there is need.
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
      // Another system has it under another name.
    }
  }
  return undefined
}
