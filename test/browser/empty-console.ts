/**
 * Run in a page that shows no page of the console: forgets all answers of the gateway and takes the notices away, as a
 * load of the console would. False when something is left that only a load removes: edits that a person would be asked
 * about, or a choice that the browser keeps, such as the language.
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

  /** The console has no way to forget what is shown to somebody who stays signed in, so it is found in the tree of components. */
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
