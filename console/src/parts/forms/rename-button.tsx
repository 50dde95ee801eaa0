import { Button, Group, Popover, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { findProblem } from '../../../../src/fields/find-problem.ts'
import type { Kind } from '../../../../src/fields/kind.ts'
import { useUnsaved } from '../dialogs/unsaved.tsx'
import { notifyFailure } from '../feedback/notify.ts'
import { useErrorText } from '../feedback/use-error-text.ts'
import { textLimit } from './text-limit.ts'
import { useRuleText } from './use-rule-text.ts'

interface RenameButtonProps {
  readonly name: string
  readonly kind: Kind<string>
  readonly label: string
  readonly onRename: (name: string) => Promise<unknown>
}

/** A button that opens a field for another name. */
export function RenameButton({ name, kind, label, onRename }: RenameButtonProps) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const ruleText = useRuleText()
  const [isOpen, { open, close }] = useDisclosure()
  const [typed, setTyped] = useState(name)
  const [problem, setProblem] = useState<string | null>(null)
  useUnsaved(() => isOpen && typed !== name)
  const rename = useMutation({
    mutationFn: onRename,
    onSuccess: close,
    onError: (error) => notifyFailure(errorText(error)),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const wrong = ruleText(findProblem(kind.wire, typed))
    setProblem(wrong)
    if (wrong === null) rename.mutate(typed.trim())
  }
  return (
    <Popover
      opened={isOpen}
      onDismiss={close}
      width={320}
      position="bottom-end"
      shadow="md"
      trapFocus
    >
      <Popover.Target>
        <Button size="xs" variant="default" onClick={isOpen ? close : open}>
          {t('rename')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form onSubmit={submit}>
          <Group align="flex-end" wrap="nowrap" gap="xs">
            <TextInput
              label={label}
              {...textLimit(kind)}
              value={typed}
              error={problem}
              onChange={(event) => setTyped(event.currentTarget.value)}
              style={{ flex: 1 }}
            />
            <Button type="submit" loading={rename.isPending}>
              {t('save')}
            </Button>
          </Group>
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}
