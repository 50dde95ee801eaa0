import { watch } from 'node:fs'

/** Wait for an editor that saves several files. */
const settleMs = 200

/**
 * Calls back with the first file of each burst of changes below a folder.
 * @param {string} folder
 * @param {(file: string) => void} onChange
 * @returns {() => void} ends the watch
 */
export function watchFolder(folder, onChange) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  const watcher = watch(folder, { recursive: true }, (_event, file) => {
    const name = String(file)
    // Editors write temporary files beside the real one.
    if (timer !== undefined || /(?:^|[/\\])\.|~$/.test(name)) return
    timer = setTimeout(() => {
      timer = undefined
      onChange(name.replaceAll('\\', '/'))
    }, settleMs)
  })
  return () => {
    clearTimeout(timer)
    watcher.close()
  }
}
