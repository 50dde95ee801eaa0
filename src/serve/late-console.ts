import type { Console } from '../console-api/create-console.ts'
import type { ConsoleNeeds } from './open-console.ts'

/** The console, whose code is read when somebody first opens it: a gateway that nobody looks at does without. */
export function lateConsole(needs: ConsoleNeeds): Console {
  let opened: Promise<Console> | undefined
  const open = async (): Promise<Console> => {
    try {
      const { openConsole } = await import('./open-console.ts')
      return openConsole(needs)
    } catch (error) {
      // What could not be read now may be there again for the next one who asks.
      opened = undefined
      throw error
    }
  }
  return async (request, context) => {
    opened ??= open()
    const answer = await opened
    return answer(request, context)
  }
}
