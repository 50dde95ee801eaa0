const pollMs = 200

/**
 * npm runs a script through a shell and passes SIGTERM on to that shell only, which dies of it
 * without a word to its child. The shell's end is therefore taken for the signal.
 * @param {() => void} onParentGone
 * @returns {() => void} ends the watch
 */
export function watchParent(onParentGone) {
  if (process.env['npm_lifecycle_event'] === undefined) return () => {}
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    onParentGone()
  }, pollMs)
  timer.unref()
  return () => clearInterval(timer)
}
