const pollMs = 200

/**
 * npm runs a script through a shell and forwards SIGTERM only to the shell, which dies without signalling its child. So
 * the end of the shell counts as the signal.
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
