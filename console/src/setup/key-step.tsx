import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CreateKeyRequest, KeyPut } from '../../../src/console-api/contract.ts'
import { findProblem } from '../../../src/fields/find-problem.ts'
import { keyDefinition } from '../../../src/keys/definition/key.ts'
import { call } from '../api/client.ts'
import { keyOptionsQuery, sessionQuery } from '../api/queries.ts'
import { IconCheck } from '../icons/icons.ts'
import { refreshKeys } from '../keys/key-cache.ts'
import { notifyFailure } from '../parts/feedback/notify.ts'
import { useErrorText } from '../parts/feedback/use-error-text.ts'
import { textLimit } from '../parts/forms/text-limit.ts'
import { useRuleText } from '../parts/forms/use-rule-text.ts'
import { StepButtons } from './step-buttons.tsx'
import { setupQuery } from './use-setup.ts'

interface KeyStepProps {
  readonly made: KeyPut | undefined
  readonly onMade: (made: KeyPut) => void
  readonly onBack: () => void
  readonly onNext: () => void
}

export function KeyStep({ made, onMade, onBack, onNext }: KeyStepProps) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const ruleText = useRuleText()
  const queries = useQueryClient()
  const setup = useQuery(setupQuery).data
  const firstAccount = useQuery(sessionQuery).data?.accounts[0]?.id
  const accountId = setup?.accountId ?? firstAccount
  const options = useQuery({
    ...keyOptionsQuery(accountId ?? ''),
    enabled: accountId !== undefined,
  })
  const [problem, setProblem] = useState<string | null>(null)
  const [name, setName] = useState(t('setup.firstKey'))
  const make = useMutation({
    mutationFn: (body: CreateKeyRequest) => call('POST /keys', { body }),
    onSuccess: (answer) => {
      onMade(answer)
      void refreshKeys(queries)
    },
    onError: (error) => notifyFailure(errorText(error)),
  })
  const groups = options.data?.groups.map(({ id }) => id) ?? []
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const wrong = ruleText(findProblem(keyDefinition.fields.name.kind.wire, name.trim()))
    setProblem(wrong)
    if (accountId === undefined || wrong !== null) return
    make.mutate({
      accountId,
      name: name.trim(),
      groups,
      models: null,
      addresses: null,
      quotaNano: null,
      expiresAt: null,
      isEnabled: true,
    })
  }
  return (
    <Stack gap="md">
      <Text size="sm">{t('setup.keyText')}</Text>
      {made ? (
        <Alert color="teal" icon={<IconCheck />}>
          {made.key.name} · {made.key.hint}
        </Alert>
      ) : (
        <form onSubmit={submit}>
          <Group align="flex-end" gap="xs">
            <TextInput
              label={t('setup.keyName')}
              value={name}
              error={problem}
              {...textLimit(keyDefinition.fields.name.kind)}
              onChange={(event) => setName(event.currentTarget.value)}
              w={260}
            />
            <Button type="submit" disabled={groups.length === 0} loading={make.isPending}>
              {t('setup.makeKey')}
            </Button>
          </Group>
        </form>
      )}
      <StepButtons onBack={onBack} onNext={onNext} isDone={made !== undefined} />
    </Stack>
  )
}
