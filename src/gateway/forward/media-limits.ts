const mebibyte = 1024 * 1024

/**
 * How much fetched media may be in memory. Bytes are those of the base64 text, which is what is held: a third more
 * than the files have. What all requests of a process may hold together is the setting `mediaBytesMax`.
 */
export const mediaLimits = {
  /** Different files that one request may refer to. */
  filesMax: 20,
  /** What the files of one request come to in the body for the upstream, each as often as it stands there. */
  requestBytesMax: 64 * mebibyte,
  /** Files that one request fetches at the same time. */
  requestFilesAtOnce: 4,
  /** For all files of a request together. */
  requestMs: 20_000,
  accountBytesMax: 128 * mebibyte,
  accountFilesAtOnce: 32,
  processFilesAtOnce: 256,
} as const
