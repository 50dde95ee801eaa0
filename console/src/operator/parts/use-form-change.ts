import type { UseFormReturnType } from '@mantine/form'
import { ApiError } from '../../api/client.ts'
import { useDetailText } from '../../parts/use-error-text.ts'
import { useUnsaved } from '../../parts/use-layer.tsx'
import { type ChangeOptions, useChange } from '../use-change.ts'

/** A change that a form sends: what the back end refuses about a field is shown at that field. */
export function useFormChange<Values extends object, Answer, Wanted>(
  form: UseFormReturnType<Values>,
  change: (wanted: Wanted) => Promise<Answer>,
  options: Omit<ChangeOptions<Answer, Wanted>, 'isQuiet'> = {},
) {
  const detailText = useDetailText()
  useUnsaved(form.isDirty())
  return useChange<Answer, Wanted>(
    async (wanted) => {
      try {
        const answer = await change(wanted)
        form.resetDirty()
        return answer
      } catch (error) {
        if (error instanceof ApiError && error.field !== undefined && error.field in form.values) {
          form.setFieldError(error.field, detailText(error))
        }
        throw error
      }
    },
    { ...options, isQuiet: true },
  )
}
