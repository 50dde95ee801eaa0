import type { FileHandle } from 'node:fs/promises'

/**
 * Longer than any line. A file without a line break in so many bytes was not written by the gateway, and is not cut.
 */
const lineBytesMax = 1024 * 1024
const lineBreak = 0x0a

/** The length of the beginning of a line at the end of the file; undefined if it is too long for one. */
export async function unfinishedBytes(handle: FileHandle): Promise<number | undefined> {
  const found = await handle.stat()
  // A pipe or a terminal cannot be read back.
  if (!found.isFile() || found.size === 0) return 0
  const last = await readAt(handle, found.size - 1, 1)
  if (last[0] === lineBreak) return 0
  const start = Math.max(0, found.size - lineBytesMax)
  const end = await readAt(handle, start, found.size - start)
  const at = end.lastIndexOf(lineBreak)
  return at === -1 && start > 0 ? undefined : end.length - at - 1
}

/** Removes it, unless another process has removed it or has appended to the file meanwhile. */
export async function cutUnfinished(handle: FileHandle): Promise<void> {
  const { size } = await handle.stat()
  const excess = await unfinishedBytes(handle)
  if (excess !== undefined && excess > 0 && (await handle.stat()).size === size)
    await handle.truncate(size - excess)
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}
