import { useMutation, useQueryClient } from '@tanstack/react-query'
import { tellDone, tellFailed } from '../parts/tell.ts'
import { useErrorText } from '../parts/use-error-text.ts'
import { operatorKey } from './operator-queries.ts'

interface ChangeOptions<Answer> {
  /** Said when it is done. */
  readonly done?: string
  readonly onDone?: (answer: Answer) => void
  /** A form shows what was refused itself. */
  readonly isQuiet?: boolean
}

/** A change by an operator: afterwards every list asks again, because much hangs together. */
export function useChange<Answer, Wanted = void>(
  change: (wanted: Wanted) => Promise<Answer>,
  options: ChangeOptions<Answer> = {},
) {
  const queries = useQueryClient()
  const errorText = useErrorText()
  return useMutation({
    mutationFn: change,
    onSuccess: async (answer) => {
      if (options.done !== undefined) tellDone(options.done)
      options.onDone?.(answer)
      await queries.invalidateQueries({ queryKey: operatorKey })
    },
    onError: (error) => {
      if (!options.isQuiet) tellFailed(errorText(error))
    },
  })
}
