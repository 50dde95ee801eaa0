import { Button, Group, Paper, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { credentialDefinition } from '../../../../src/catalog/definition/upstream.ts'
import type { CredentialRow } from '../../../../src/console-api/contract.ts'
import { call } from '../../api/client.ts'
import { ProblemText } from '../../parts/feedback/problem-text.tsx'
import { useErrorText } from '../../parts/feedback/use-error-text.ts'
import { changedMembers } from '../../parts/forms/changed-members.ts'
import { TextInput } from '../../parts/forms/inputs.tsx'
import {
  type LimitEntries,
  LimitInputs,
  limitEntries,
  limitsOfEntries,
} from '../../parts/forms/limit-inputs.tsx'
import { SecretInput } from '../../parts/forms/secret-input.tsx'
import { useFieldRules } from '../../parts/forms/use-field-rules.ts'
import { useFormChange } from '../parts/use-form-change.ts'

interface CredentialFormProps {
  readonly upstreamId: string
  /** The credential to change; undefined for a new credential. */
  readonly credential: CredentialRow | undefined
  readonly onClose: () => void
}

type CredentialEntries = LimitEntries & { readonly name: string; readonly value: string }

const { fields } = credentialDefinition

export function CredentialForm({ upstreamId, credential, onClose }: CredentialFormProps) {
  const { t } = useTranslation()
  const rules = useFieldRules()
  const errorText = useErrorText()
  /** Without a new value, an existing credential keeps its value. */
  const hasValues = (value: string) => credential !== undefined && value === ''
  const form = useForm<CredentialEntries>({
    initialValues: { name: credential?.name ?? '', value: '', ...limitEntries(credential) },
    validate: {
      name: rules.wire(fields.name.kind),
      value: (value) => (hasValues(value) ? null : rules.wire(fields.value.kind)(value)),
      requestsPerMinute: rules.ifAny(rules.wire(fields.requestsPerMinute.kind)),
      tokensPerMinute: rules.ifAny(rules.wire(fields.tokensPerMinute.kind)),
      concurrentRequests: rules.ifAny(rules.wire(fields.concurrentRequests.kind)),
    },
  })
  const save = useFormChange(
    form,
    (values: CredentialEntries) => {
      const { name, value } = values
      const limits = limitsOfEntries(values)
      const shown = form.getInitialValues()
      const settings = changedMembers(
        { name, ...limits },
        { name: shown.name, ...limitsOfEntries(shown) },
      )
      return credential === undefined
        ? call('POST /operate/upstreams/{id}/credentials', {
            params: { id: upstreamId },
            body: { name, value, ...limits },
          })
        : call('PATCH /operate/credentials/{id}', {
            params: { id: credential.id },
            body: { ...settings, ...(hasValues(value) ? {} : { value }) },
          })
    },
    { done: t('operate.saved'), onDone: onClose },
  )
  return (
    <Paper withBorder p="md">
      <form onSubmit={form.onSubmit((values) => save.mutate(values), save.reset)} noValidate>
        <Stack gap="sm">
          <TextInput
            label={t('credentials.name')}
            placeholder={t('credentials.nameExample')}
            data-autofocus
            {...form.getInputProps('name')}
          />
          <SecretInput
            label={t('credentials.value')}
            description={t(credential ? 'credentials.keptHint' : 'credentials.valueHint')}
            autoComplete="off"
            {...form.getInputProps('value')}
          />
          <LimitInputs
            hint={t('limitsOf.credential')}
            inputProps={(name) => form.getInputProps(name)}
          />
          {save.error && <ProblemText>{errorText(save.error)}</ProblemText>}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" size="xs" onClick={() => save.leave(onClose)}>
              {t('cancel')}
            </Button>
            <Button type="submit" size="xs" loading={save.isPending}>
              {credential === undefined ? t('credentials.add') : t('save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  )
}
