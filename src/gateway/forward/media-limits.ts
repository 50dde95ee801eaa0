const mebibyte = 1024 * 1024

/**
 * Limits of fetched media in memory. Bytes are those of the base64 text, which is a third longer than the file. The
 * setting `mediaBytesMax` limits all requests of a process together.
 */
export const mediaLimits = {
  /** Different files that one request may refer to. */
  filesMax: 20,
  /** The bytes of all files in the body for the upstream, each counted as often as it occurs. */
  requestBytesMax: 64 * mebibyte,
  /** Files that one request fetches at the same time. */
  requestFilesAtOnce: 4,
  /** For all files of a request together. */
  requestMs: 20_000,
  accountBytesMax: 128 * mebibyte,
  accountFilesAtOnce: 32,
  processFilesAtOnce: 256,
} as const
