import { useMutation, useQueryClient } from '@tanstack/react-query'
import { tellDone, tellFailed } from '../parts/tell.ts'
import { useErrorText } from '../parts/use-error-text.ts'
import { operatorKey } from './operator-queries.ts'
import { type Ahead, showAhead } from './show-ahead.ts'

export interface ChangeOptions<Answer, Wanted> {
  /** Said when it is done; of what was wanted, because what is shown has changed by then. */
  readonly done?: string | ((wanted: Wanted) => string)
  readonly onDone?: (answer: Answer) => void
  /** A form shows what was refused itself. */
  readonly isQuiet?: boolean
  /** Shows what is wanted at once; all of it is taken back when the change is refused. */
  readonly ahead?: (ahead: Ahead, wanted: Wanted) => void
}

/** A change by an operator: afterwards every list asks again, because much hangs together. */
export function useChange<Answer, Wanted = void>(
  change: (wanted: Wanted) => Promise<Answer>,
  options: ChangeOptions<Answer, Wanted> = {},
) {
  const queries = useQueryClient()
  const errorText = useErrorText()
  const refresh = async () => {
    // The last of several changes asks again: before it is done, the gateway does not know of all of them.
    const isLast = queries.isMutating({ mutationKey: operatorKey }) === 1
    if (isLast) await queries.invalidateQueries({ queryKey: operatorKey })
  }
  return useMutation({
    mutationKey: operatorKey,
    mutationFn: change,
    onMutate: (wanted) => {
      if (!options.ahead) return undefined
      // An answer that is on its way knows nothing of the change, and would undo what is shown.
      void queries.cancelQueries({ queryKey: operatorKey })
      const ahead = showAhead(queries)
      options.ahead(ahead, wanted)
      return ahead
    },
    onSuccess: async (answer, wanted) => {
      const { done } = options
      if (done !== undefined) tellDone(typeof done === 'string' ? done : done(wanted))
      options.onDone?.(answer)
      await refresh()
    },
    onError: async (error, _wanted, ahead) => {
      ahead?.undo()
      if (!options.isQuiet) tellFailed(errorText(error))
      if (ahead) await refresh()
    },
  })
}
