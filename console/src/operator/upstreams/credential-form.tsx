import { Button, Group, Paper, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { credentialDefinition } from '../../../../src/catalog/definition/upstream.ts'
import type { AddCredentialRequest, CredentialRow } from '../../../../src/console-api/contract.ts'
import { call } from '../../api/client.ts'
import { ProblemText } from '../../parts/problem-text.tsx'
import { SecretInput } from '../../parts/secret-input.tsx'
import { useErrorText } from '../../parts/use-error-text.ts'
import { useFieldRules } from '../../parts/use-field-rules.ts'
import { useFormChange } from '../parts/use-form-change.ts'

interface CredentialFormProps {
  readonly upstreamId: string
  /** The credential to replace; undefined for a new credential. */
  readonly credential: CredentialRow | undefined
  readonly onClose: () => void
}

export function CredentialForm({ upstreamId, credential, onClose }: CredentialFormProps) {
  const { t } = useTranslation()
  const rules = useFieldRules()
  const errorText = useErrorText()
  const form = useForm<AddCredentialRequest>({
    initialValues: { name: credential?.name ?? '', value: '' },
    validate: {
      name: rules.wire(credentialDefinition.fields.name.kind),
      value: rules.wire(credentialDefinition.fields.value.kind),
    },
  })
  const save = useFormChange(
    form,
    (values: AddCredentialRequest) =>
      credential === undefined
        ? call('POST /operate/upstreams/{id}/credentials', {
            params: { id: upstreamId },
            body: values,
          })
        : call('PATCH /operate/credentials/{id}', { params: { id: credential.id }, body: values }),
    { done: t('operate.saved'), onDone: onClose },
  )
  return (
    <Paper withBorder p="md">
      <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
        <Stack gap="sm">
          <TextInput
            label={t('credentials.name')}
            placeholder={t('credentials.nameExample')}
            data-autofocus
            {...form.getInputProps('name')}
          />
          <SecretInput
            label={t('credentials.value')}
            description={t('credentials.valueHint')}
            autoComplete="off"
            {...form.getInputProps('value')}
          />
          {save.error && <ProblemText>{errorText(save.error)}</ProblemText>}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" size="xs" onClick={() => save.leave(onClose)}>
              {t('cancel')}
            </Button>
            <Button type="submit" size="xs" loading={save.isPending}>
              {credential === undefined ? t('credentials.add') : t('credentials.replace')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  )
}
