import { Alert, Button, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { newUpstreamDefinition } from '../../../src/catalog/definition/upstream.ts'
import {
  protocolNames,
  type UpstreamDetail,
  type UpstreamEdit,
  type VendorChoice,
} from '../../../src/console-api/contract.ts'
import { ApiError, call } from '../api/client.ts'
import { useProblemText } from '../codes/use-problem-text.ts'
import { useVendorText } from '../codes/use-vendor-text.ts'
import { IconAlertTriangle, IconCheck } from '../icons/icons.ts'
import { useUnsaved } from '../parts/dialogs/unsaved.tsx'
import { notifyFailure } from '../parts/feedback/notify.ts'
import { PageError } from '../parts/feedback/page-error.tsx'
import { PagePending } from '../parts/feedback/page-pending.tsx'
import { useDetailText, useErrorText } from '../parts/feedback/use-error-text.ts'
import { Switch, TextInput } from '../parts/forms/inputs.tsx'
import { SecretInput } from '../parts/forms/secret-input.tsx'
import { Select } from '../parts/forms/select.tsx'
import { useFieldRules } from '../parts/forms/use-field-rules.ts'
import { StepButtons } from './step-buttons.tsx'
import { setupQuery, upstreamModelsQuery, vendorsQuery } from './use-setup.ts'

const { fields } = newUpstreamDefinition

/** Saves the base URL first: a credential belongs to the host that the upstream has when it is entered. */
async function correctUpstream(
  { id, credentials }: UpstreamDetail,
  place: UpstreamEdit,
  credential: string | null,
): Promise<UpstreamDetail> {
  const saved = await call('PATCH /operate/upstreams/{id}', { params: { id }, body: place })
  if (credential === null) return saved
  const [known] = credentials
  const value = { value: credential }
  if (known) {
    await call('PATCH /operate/credentials/{id}', { params: { id: known.id }, body: value })
  } else
    await call('POST /operate/upstreams/{id}/credentials', {
      params: { id },
      body: { name: 'default', ...value },
    })
  return call('GET /operate/upstreams/{id}', { params: { id } })
}

interface UpstreamStepProps {
  readonly upstream: UpstreamDetail | undefined
  readonly onMade: (upstream: UpstreamDetail) => void
  readonly onBack: () => void
  readonly onNext: () => void
}

export function UpstreamStep({ upstream, onMade, onBack, onNext }: UpstreamStepProps) {
  const { t } = useTranslation()
  const vendors = useQuery(vendorsQuery)
  const hasUpstream = useQuery(setupQuery).data?.hasUpstream ?? false
  const [isEditing, setEditing] = useState(false)
  return (
    <Stack gap="md">
      <Text size="sm">{t('setup.upstreamText')}</Text>
      {vendors.error && <PageError error={vendors.error} reset={() => void vendors.refetch()} />}
      {vendors.isPending && <PagePending />}
      {hasUpstream && !upstream && (
        <Alert color="teal" icon={<IconCheck />}>
          {t('setup.upstreamDone')}
        </Alert>
      )}
      {upstream && <Connected upstream={upstream} onEdit={() => setEditing(true)} />}
      {vendors.data && (!upstream || isEditing) && (
        <UpstreamForm
          key={upstream?.id}
          vendors={vendors.data.vendors}
          upstream={upstream}
          onSaved={(saved) => {
            setEditing(false)
            onMade(saved)
          }}
        />
      )}
      <StepButtons onBack={onBack} onNext={onNext} isDone={upstream !== undefined || hasUpstream} />
    </Stack>
  )
}

/** Lists the upstream's models to test the connection. */
function Connected({ upstream, onEdit }: { upstream: UpstreamDetail; onEdit: () => void }) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const problemText = useProblemText()
  const models = useQuery(upstreamModelsQuery(upstream.id))
  if (models.isFetching) return <PagePending />
  const problem = models.error
    ? [errorText(models.error)]
    : models.data?.problem && problemText(models.data.problem)
  const edit = (
    <Button size="xs" variant="default" mt="xs" onClick={onEdit}>
      {t('setup.editUpstream')}
    </Button>
  )
  if (problem) {
    return (
      <Alert
        color="red"
        role="alert"
        icon={<IconAlertTriangle />}
        title={t('setup.notConnected', { name: upstream.id })}
      >
        {problem.map((line) => (
          <Text key={line} size="sm" style={{ overflowWrap: 'anywhere' }}>
            {line}
          </Text>
        ))}
        {edit}
      </Alert>
    )
  }
  const listed = models.data?.models ?? undefined
  return (
    <Alert color="teal" icon={<IconCheck />} title={upstream.id}>
      <Text size="sm">
        {listed ? t('setup.connected', { count: listed.length }) : t('setup.connectedBlind')}
      </Text>
      {edit}
    </Alert>
  )
}

function UpstreamForm(props: {
  vendors: readonly VendorChoice[]
  /** The upstream to edit; undefined for a new one. */
  upstream: UpstreamDetail | undefined
  onSaved: (upstream: UpstreamDetail) => void
}) {
  const { vendors, upstream, onSaved } = props
  const queries = useQueryClient()
  const { t } = useTranslation()
  const rules = useFieldRules()
  const errorText = useErrorText()
  const detailText = useDetailText()
  const vendorText = useVendorText()
  const [first] = vendors
  const form = useForm({
    mode: 'controlled',
    initialValues: {
      vendor: upstream?.vendor ?? first?.name ?? '',
      id: upstream?.id ?? first?.name ?? '',
      baseUrl: upstream?.baseUrl ?? '',
      credential: '',
      isPrivate: upstream?.settings.allowsPrivate ?? false,
    },
    validate: {
      id: rules.wire(fields.id.kind),
      baseUrl: (url, { vendor }) => {
        const isNeeded = vendors.find(({ name }) => name === vendor)?.baseUrl === null
        return url === '' && !isNeeded ? null : rules.wire(fields.baseUrl.kind)(url)
      },
      credential: rules.ifAny(rules.wire(fields.credential.kind)),
    },
  })
  useUnsaved(() => form.isDirty())
  const vendor = vendors.find(({ name }) => name === form.values.vendor)
  const connect = async (values: typeof form.values) => {
    const place = {
      vendor: values.vendor,
      protocol: vendor?.protocols[0] ?? protocolNames[0],
      baseUrl: values.baseUrl === '' ? null : values.baseUrl,
      allowsPrivate: values.isPrivate,
    }
    const credential = values.credential === '' ? null : values.credential
    try {
      const saved = upstream
        ? await correctUpstream(upstream, place, credential)
        : await call('POST /operate/upstreams', { body: { ...place, id: values.id, credential } })
      await queries.invalidateQueries({ queryKey: upstreamModelsQuery(saved.id).queryKey })
      onSaved(saved)
    } catch (error) {
      if (error instanceof ApiError && error.field !== undefined && error.field in values) {
        form.setFieldError(error.field, detailText(error))
      } else notifyFailure(errorText(error))
    }
  }
  return (
    <form onSubmit={form.onSubmit(connect)} noValidate>
      <Stack gap="sm" maw={460}>
        <Select
          label={t('setup.vendor')}
          data={vendors.map(({ name }) => ({ value: name, label: vendorText(name) }))}
          searchable
          allowDeselect={false}
          value={form.values.vendor}
          onChange={(name) =>
            name !== null && form.setValues({ vendor: name, ...(!upstream && { id: name }) })
          }
        />
        <TextInput
          label={t('setup.baseUrl')}
          placeholder={vendor?.baseUrl ?? 'https://'}
          {...(vendor?.baseUrl && { description: t('setup.baseUrlHint', { url: vendor.baseUrl }) })}
          {...form.getInputProps('baseUrl')}
        />
        {form.values.baseUrl !== '' && (
          <Switch
            label={t('setup.private')}
            description={t('setup.privateHint')}
            {...form.getInputProps('isPrivate', { type: 'checkbox' })}
          />
        )}
        <SecretInput
          label={t('setup.credential')}
          description={upstream ? t('setup.credentialKept') : t('setup.credentialHint')}
          autoComplete="off"
          {...form.getInputProps('credential')}
        />
        {!upstream && <TextInput label={t('setup.name')} {...form.getInputProps('id')} />}
        <Button type="submit" loading={form.submitting} style={{ alignSelf: 'flex-start' }}>
          {t('setup.connect')}
        </Button>
      </Stack>
    </form>
  )
}
