/**
 * Runs in a page that shows no page of the console: removes all cached answers of the gateway and all notices, like a
 * reload of the console. Returns false when something is left that only a reload removes: unsaved edits, or a setting
 * that the browser stores, such as the language.
 */
export const emptyConsole = `(async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  const isEmpty = () =>
    document.querySelector('#root h1') !== null &&
    document.querySelector('#page, [role=dialog], .mantine-Loader-root') === null
  for (let looks = 0; looks < 20 && !isEmpty(); looks += 1) await frame()
  if (!isEmpty() || localStorage.length > 0 || sessionStorage.length > 0) return false
  for (const button of document.querySelectorAll('.mantine-Notification-closeButton')) button.click()
  const answers = findQueryClient()
  if (answers === undefined) return false
  await answers.cancelQueries()
  answers.clear()
  return true

  /**
   * The console has no function that clears its cache while a user stays signed in, so the cache is found in the tree
   * of components.
   */
  function findQueryClient() {
    const root = document.getElementById('root')
    const name = Object.keys(root).find((each) => each.startsWith('__reactContainer'))
    const left = [root[name]?.stateNode.current]
    while (left.length > 0) {
      const fiber = left.pop()
      if (!fiber) continue
      if (fiber.memoizedProps?.client?.getQueryCache) return fiber.memoizedProps.client
      left.push(fiber.sibling, fiber.child)
    }
    return undefined
  }
})()`
