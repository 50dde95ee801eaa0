import { Button, type ButtonProps, Group } from '@mantine/core'
import { ProblemText } from '../feedback/problem-text.tsx'
import { useErrorText } from '../feedback/use-error-text.ts'

interface SubmitRowProps extends Pick<ButtonProps, 'color' | 'size'> {
  /** The request that the form sends. */
  readonly sending: { readonly error: Error | null; readonly isPending: boolean }
  readonly label: string
}

/** The end of a form within a page: the error of the last attempt and the submit button. */
export function SubmitRow({ sending, label, ...look }: SubmitRowProps) {
  const errorText = useErrorText()
  return (
    <>
      {sending.error && <ProblemText>{errorText(sending.error)}</ProblemText>}
      <Group justify="flex-end">
        <Button type="submit" loading={sending.isPending} {...look}>
          {label}
        </Button>
      </Group>
    </>
  )
}
