import { turns } from '../../core/runtime/turns.ts'
import type { OpenConsole, OpenConsoleDeps } from './open-console.ts'

/** Parts of the code that are loaded one after the other, because loading all of it at once blocks the event loop. */
const loadFirst = [
  () => import('../../console-api/contract/managed-bodies.ts'),
  () => import('../../console-api/contract/operations/operations.ts'),
  () => import('../../console-api/routes/routes.ts'),
]

/**
 * The console and the admin API. Their code is loaded with the first request to them, so a gateway without console
 * users does not spend the memory.
 */
export function lazyConsole(deps: OpenConsoleDeps): OpenConsole {
  let opened: Promise<OpenConsole> | undefined
  const open = async (): Promise<OpenConsole> => {
    try {
      for (const load of loadFirst) {
        await load()
        await turns.next()
      }
      const { openConsole } = await import('./open-console.ts')
      return openConsole(deps)
    } catch (error) {
      // A failed load is retried by the next request.
      opened = undefined
      throw error
    }
  }
  return {
    answer: async (request, context) => {
      opened ??= open()
      const { answer } = await opened
      return answer(request, context)
    },
    settled: async () => (await opened)?.settled(),
  }
}
