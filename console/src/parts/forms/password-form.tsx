import { Button, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { findProblem } from '../../../../src/fields/find-problem.ts'
import { passwordKind } from '../../../../src/fields/kinds.ts'
import { passwordCharactersMin } from '../../../../src/fields/problems.ts'
import { useUnsaved } from '../dialogs/unsaved.tsx'
import { ProblemText } from '../feedback/problem-text.tsx'
import { useErrorText } from '../feedback/use-error-text.ts'
import { SecretInput } from './secret-input.tsx'
import { textLimit } from './text-limit.ts'
import { useRuleText } from './use-rule-text.ts'

interface PasswordFormProps {
  readonly submitLabel: string
  /** A reset ends every session, as its page says. */
  readonly isReset?: boolean
  readonly onSave: (password: string) => Promise<void>
}

export function PasswordForm({ submitLabel, isReset = false, onSave }: PasswordFormProps) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const ruleText = useRuleText()
  const [problem, setProblem] = useState<string>()
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { password: '', again: '' },
    validate: {
      password: (password) => ruleText(findProblem(passwordKind.wire, password)),
      again: (again, values) => (again === values.password ? null : t('password.differs')),
    },
  })
  useUnsaved(() => form.isDirty())
  const submit = async ({ password }: { password: string }) => {
    setProblem(undefined)
    try {
      await onSave(password)
    } catch (error) {
      setProblem(errorText(error))
    }
  }
  const shared = { autoComplete: 'new-password', ...textLimit(passwordKind) }
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack maw={400}>
        <SecretInput
          {...shared}
          label={t('password.new')}
          description={t(isReset ? 'password.length' : 'password.hint', {
            min: passwordCharactersMin,
          })}
          data-autofocus
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <SecretInput
          {...shared}
          label={t('password.again')}
          key={form.key('again')}
          {...form.getInputProps('again')}
        />
        {problem !== undefined && <ProblemText>{problem}</ProblemText>}
        <Button type="submit" loading={form.submitting} style={{ alignSelf: 'flex-start' }}>
          {submitLabel}
        </Button>
      </Stack>
    </form>
  )
}
