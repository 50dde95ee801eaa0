import { Alert, Button, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type {
  CreateUpstreamRequest,
  UpstreamDetail,
  VendorChoice,
} from '../../../src/console-api/contract.ts'
import { credentialProblem, idProblem, urlProblem } from '../../../src/console-api/rules.ts'
import { ApiError, post } from '../api/client.ts'
import { PageError } from '../parts/page-error.tsx'
import { PagePending } from '../parts/page-pending.tsx'
import { SecretInput } from '../parts/secret-input.tsx'
import { tellFailed } from '../parts/tell.ts'
import { useDetailText, useErrorText } from '../parts/use-error-text.ts'
import { useRuleText } from '../parts/use-rule-text.ts'
import { StepButtons } from './step-buttons.tsx'
import { setupQuery, upstreamModelsQuery, vendorsQuery } from './use-setup.ts'

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
  return (
    <Stack gap="md">
      <Text size="sm">{t('setup.upstreamText')}</Text>
      {vendors.error && <PageError error={vendors.error} reset={() => void vendors.refetch()} />}
      {vendors.isPending && <PagePending />}
      {upstream ? (
        <Connected upstream={upstream} />
      ) : (
        <>
          {hasUpstream && (
            <Alert color="teal" icon={<IconCheck />}>
              {t('setup.upstreamDone')}
            </Alert>
          )}
          {vendors.data && <UpstreamForm vendors={vendors.data.vendors} onMade={onMade} />}
        </>
      )}
      <StepButtons onBack={onBack} onNext={onNext} isDone={upstream !== undefined || hasUpstream} />
    </Stack>
  )
}

function Connected({ upstream }: { upstream: UpstreamDetail }) {
  const { t } = useTranslation()
  const models = useQuery(upstreamModelsQuery(upstream.id))
  if (models.isPending) return <PagePending />
  return (
    <Alert color="teal" icon={<IconCheck />} title={upstream.id}>
      {models.data
        ? t('setup.connected', { count: models.data.models.length })
        : t('setup.connectedBlind')}
    </Alert>
  )
}

function UpstreamForm(props: {
  vendors: readonly VendorChoice[]
  onMade: (upstream: UpstreamDetail) => void
}) {
  const { vendors, onMade } = props
  const { t } = useTranslation()
  const ruleText = useRuleText()
  const errorText = useErrorText()
  const detailText = useDetailText()
  const first = vendors.find(({ name }) => name === 'openai') ?? vendors[0]
  const form = useForm({
    mode: 'controlled',
    initialValues: {
      vendor: first?.name ?? '',
      id: first?.name ?? '',
      baseUrl: '',
      credential: '',
      isPrivate: false,
    },
    validate: {
      id: (id) => ruleText(idProblem(id)),
      baseUrl: (url, { vendor }) => {
        const isNeeded = vendors.find(({ name }) => name === vendor)?.baseUrl === null
        return url === '' && !isNeeded ? null : ruleText(urlProblem(url))
      },
      credential: (text) => (text === '' ? null : ruleText(credentialProblem(text))),
    },
  })
  const vendor = vendors.find(({ name }) => name === form.values.vendor)
  const connect = async (values: typeof form.values) => {
    const body: CreateUpstreamRequest = {
      id: values.id,
      vendor: values.vendor,
      protocol: vendor?.protocols[0] ?? 'chat-completions',
      baseUrl: values.baseUrl === '' ? null : values.baseUrl,
      isEnabled: true,
      concurrencyMax: null,
      timeouts: {},
      ca: null,
      allowsPrivate: values.isPrivate,
      probe: null,
      parameters: null,
      credential: values.credential === '' ? null : values.credential,
    }
    try {
      onMade(await post<UpstreamDetail>('/operate/upstreams', body))
    } catch (error) {
      if (error instanceof ApiError && error.field !== undefined && error.field in values) {
        form.setFieldError(error.field, detailText(error))
      } else tellFailed(errorText(error))
    }
  }
  return (
    <form onSubmit={form.onSubmit(connect)} noValidate>
      <Stack gap="sm" maw={460}>
        <Select
          label={t('setup.vendor')}
          data={vendors.map(({ name }) => name)}
          searchable
          allowDeselect={false}
          value={form.values.vendor}
          onChange={(name) => name !== null && form.setValues({ vendor: name, id: name })}
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
          description={t('setup.credentialHint')}
          autoComplete="off"
          {...form.getInputProps('credential')}
        />
        <TextInput label={t('setup.name')} {...form.getInputProps('id')} />
        <Button type="submit" loading={form.submitting} style={{ alignSelf: 'flex-start' }}>
          {t('setup.connect')}
        </Button>
      </Stack>
    </form>
  )
}
