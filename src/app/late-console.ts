import type { ConsoleNeeds, OpenConsole } from './open-console.ts'

/**
 * The console and the admin API, whose code is read when somebody first asks for them: a gateway that nobody looks at
 * does without.
 */
export function lateConsole(needs: ConsoleNeeds): OpenConsole {
  let opened: Promise<OpenConsole> | undefined
  const open = async (): Promise<OpenConsole> => {
    try {
      const { openConsole } = await import('./open-console.ts')
      return openConsole(needs)
    } catch (error) {
      // What could not be read now may be there again for the next one who asks.
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
