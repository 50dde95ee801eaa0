import { Button, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { PanelFooter } from '../../parts/dialogs/side-panel.tsx'
import { useErrorText } from '../../parts/feedback/use-error-text.ts'
import { memoized } from '../../parts/forms/memoized.tsx'
import { useFirstError } from '../../parts/forms/use-first-error.ts'
import { DeleteButton, type DeleteButtonProps } from './delete-button.tsx'

interface FormEndProps {
  readonly error: Error | null
  readonly isPending: boolean
  /** Label of the submit button. */
  readonly submit: string
  readonly onCancel: () => void
  /** Content on the left, such as a delete button. */
  readonly children?: ReactNode
}

/** Footer of a form in a panel: error, submit and cancel. Moves to the first wrong input after a submit. */
export function FormEnd({ error, isPending, submit, onCancel, children }: FormEndProps) {
  const errorText = useErrorText()
  const inside = useFirstError<HTMLDivElement>(isPending)
  return (
    <PanelFooter>
      {error && (
        <Text size="sm" c="red" role="alert" mb="xs">
          {errorText(error)}
        </Text>
      )}
      <Group ref={inside} justify="space-between" gap="xs">
        <div>{children}</div>
        <FormButtons isPending={isPending} submit={submit} onCancel={onCancel} />
      </Group>
    </PanelFooter>
  )
}

type FormButtonsProps = Pick<FormEndProps, 'isPending' | 'submit' | 'onCancel'>

const FormButtons = memoized(function FormButtons(props: FormButtonsProps) {
  const { t } = useTranslation()
  return (
    <Group gap="xs">
      <Button variant="default" onClick={props.onCancel}>
        {t('cancel')}
      </Button>
      <Button type="submit" loading={props.isPending}>
        {props.submit}
      </Button>
    </Group>
  )
})

interface EntryFormEndProps {
  readonly save: Pick<FormEndProps, 'error' | 'isPending'> & {
    readonly leave: (close: () => void) => void
  }
  readonly isNew: boolean
  /** Label of the button that creates a new entry. */
  readonly create: string
  /** Undefined for an entry that cannot be deleted. */
  readonly deletion: Omit<DeleteButtonProps, 'onDeleted'> | undefined
  readonly onClose: () => void
}

/** Footer of a form that creates an entry, or changes or deletes an existing one. */
export function EntryFormEnd({ save, isNew, create, deletion, onClose }: EntryFormEndProps) {
  const { t } = useTranslation()
  return (
    <FormEnd
      error={save.error}
      isPending={save.isPending}
      submit={isNew ? create : t('operate.save')}
      onCancel={() => save.leave(onClose)}
    >
      {deletion !== undefined && <DeleteButton {...deletion} onDeleted={onClose} />}
    </FormEnd>
  )
}
