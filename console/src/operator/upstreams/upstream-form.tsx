import { Accordion, Alert, Stack } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  newUpstreamDefinition,
  probeEveryKind,
} from '../../../../src/catalog/definition/upstream.ts'
import type {
  CreateUpstreamRequest,
  ShownTimeouts,
  UpstreamDetail,
  UpstreamEdit,
  VendorChoice,
} from '../../../../src/console-api/contract.ts'
import { findProblem } from '../../../../src/fields/find-problem.ts'
import { call } from '../../api/client.ts'
import { protocolLabels } from '../../codes/protocol-label.ts'
import { useVendorText } from '../../codes/use-vendor-text.ts'
import { changedMembers } from '../../parts/forms/changed-members.ts'
import { Switch, TextInput } from '../../parts/forms/inputs.tsx'
import { numberLimits } from '../../parts/forms/number-limits.ts'
import { SecretInput } from '../../parts/forms/secret-input.tsx'
import { Select } from '../../parts/forms/select.tsx'
import { useFieldRules } from '../../parts/forms/use-field-rules.ts'
import { useRuleText } from '../../parts/forms/use-rule-text.ts'
import { vendorsQuery } from '../operator-queries.ts'
import { EntryFormEnd } from '../parts/form-end.tsx'
import { useFormChange } from '../parts/use-form-change.ts'
import { ConnectionFields } from './connection-fields.tsx'
import { LimitFields } from './limit-fields.tsx'
import { ParameterEditor } from './parameter-editor.tsx'
import {
  proxyOf,
  secondMs,
  settingsOf,
  timeoutNames,
  type UpstreamValues,
  valuesOf,
} from './upstream-values.ts'

const { fields } = newUpstreamDefinition

interface UpstreamFormProps {
  /** Undefined for a new entry. */
  readonly detail: UpstreamDetail | undefined
  readonly onSaved: (detail: UpstreamDetail) => void
  readonly onClose: () => void
}

export function UpstreamForm({ detail, onSaved, onClose }: UpstreamFormProps) {
  const { t } = useTranslation()
  const vendors = useQuery(vendorsQuery).data?.vendors ?? []
  const form = useUpstreamForm(detail, vendors)
  const save = useFormChange(
    form,
    (values: UpstreamValues) =>
      detail === undefined
        ? call('POST /operate/upstreams', { body: createRequest(values) })
        : call('PATCH /operate/upstreams/{id}', {
            params: { id: detail.id },
            body: {
              ...changedMembers(editOf(values), editOf(form.getInitialValues())),
              ...proxyOf(values),
            },
          }),
    { done: t('operate.saved'), onDone: onSaved },
  )
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values), save.reset)} noValidate>
      <Stack>
        {detail === undefined && (
          <TextInput
            label={t('upstreams.id')}
            description={t('upstreams.idHint')}
            data-autofocus
            {...form.getInputProps('id')}
          />
        )}
        <AddressFields form={form} vendors={vendors} detail={detail} />
        {detail === undefined && (
          <SecretInput
            label={t('credentials.value')}
            description={t('credentials.valueHint')}
            autoComplete="off"
            {...form.getInputProps('credential')}
          />
        )}
        {detail === undefined && (
          <Switch
            label={t('upstreams.enabled')}
            description={t('upstreams.enabledHint')}
            {...form.getInputProps('isEnabled', { type: 'checkbox' })}
          />
        )}
        <Accordion variant="separated" multiple chevronPosition="left">
          <Accordion.Item value="limits">
            <Accordion.Control>{t('upstreams.limits')}</Accordion.Control>
            <Accordion.Panel>
              <LimitFields form={form} defaults={detail?.defaultTimeouts} />
            </Accordion.Panel>
          </Accordion.Item>
          <Accordion.Item value="connection">
            <Accordion.Control>{t('upstreams.connection')}</Accordion.Control>
            <Accordion.Panel>
              <ConnectionFields form={form} proxyHint={detail?.proxyHint ?? null} />
            </Accordion.Panel>
          </Accordion.Item>
          <Accordion.Item value="parameters">
            <Accordion.Control>{t('parameters.title')}</Accordion.Control>
            <Accordion.Panel>
              <ParameterEditor
                error={form.errors['parameters']}
                value={form.values.parameters}
                onChange={(parameters) => form.setFieldValue('parameters', parameters)}
              />
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
        <EntryFormEnd
          save={save}
          isNew={detail === undefined}
          create={t('upstreams.create')}
          deletion={
            detail
              ? {
                  name: detail.id,
                  list: 'upstreams',
                  id: detail.id,
                  text: t('upstreams.deleteText'),
                }
              : undefined
          }
          onClose={onClose}
        />
      </Stack>
    </form>
  )
}

function useUpstreamForm(detail: UpstreamDetail | undefined, vendors: readonly VendorChoice[]) {
  const { t } = useTranslation()
  const ruleText = useRuleText()
  const rules = useFieldRules()
  /** Problem of a setting that the form derives from other fields. */
  const setting = (name: 'concurrencyMax' | 'timeouts' | 'ca' | 'probe' | 'parameters') => {
    const { wire } = fields[name].kind
    return (values: UpstreamValues) => ruleText(findProblem(wire, settingsOf(values)[name]))
  }
  const timeout = (name: keyof ShownTimeouts) => (_: unknown, values: UpstreamValues) => {
    const found = findProblem(fields.timeouts.kind.wire, settingsOf(values).timeouts)
    return found?.path[0] === name ? ruleText(found) : null
  }
  return useForm<UpstreamValues>({
    initialValues: valuesOf(detail),
    validateInputOnBlur: true,
    validate: {
      id: rules.wire(fields.id.kind),
      vendor: (vendor) => (vendor === '' ? t('upstreams.vendorNeeded') : null),
      baseUrl: (baseUrl, { vendor }) => {
        const own = vendors.find(({ name }) => name === vendor)?.baseUrl ?? null
        if (baseUrl.trim() === '')
          return own === null && vendor !== '' ? ruleText('url_wrong') : null
        return rules.wire(fields.baseUrl.kind)(baseUrl.trim())
      },
      credential: rules.ifAny(rules.wire(fields.credential.kind)),
      proxy: rules.ifAny(rules.wire(fields.proxy.kind)),
      concurrencyMax: (_, values) => setting('concurrencyMax')(values),
      ca: (_, values) => setting('ca')(values),
      parameters: (_, values) => setting('parameters')(values),
      timeouts: Object.fromEntries(timeoutNames.map((name) => [name, timeout(name)])),
      probeSeconds: (seconds, values) =>
        values.isProbed && seconds === ''
          ? ruleText({ problem: 'count_wrong', values: numberLimits(probeEveryKind, secondMs) })
          : setting('probe')(values),
    },
  })
}

function AddressFields(props: {
  form: UseFormReturnType<UpstreamValues>
  vendors: readonly VendorChoice[]
  detail: UpstreamDetail | undefined
}) {
  const { t } = useTranslation()
  const vendorText = useVendorText()
  const { form, vendors, detail } = props
  const vendor = vendors.find(({ name }) => name === form.values.vendor)
  const protocols = vendor?.protocols ?? []
  const isMoved =
    detail !== undefined &&
    detail.credentialCount > 0 &&
    originOf(form.values.baseUrl || (vendor?.baseUrl ?? '')) !== originOf(detail.baseUrl)
  return (
    <>
      <Select
        label={t('upstreams.vendor')}
        data={vendors.map(({ name }) => ({ value: name, label: vendorText(name) }))}
        allowDeselect={false}
        searchable
        {...form.getInputProps('vendor')}
        onChange={(name: string | null) => {
          const chosen = vendors.find((each) => each.name === name)
          const [only, ...others] = chosen?.protocols ?? []
          form.setFieldValue('vendor', name ?? '')
          form.setFieldValue('protocol', others.length === 0 && only !== undefined ? only : 'any')
        }}
      />
      <TextInput
        label={t('upstreams.baseUrl')}
        description={
          (vendor?.baseUrl ?? null) === null
            ? t('upstreams.baseUrlHint')
            : t('upstreams.baseUrlOwn')
        }
        placeholder={vendor?.baseUrl ?? 'https://api.example.com/v1'}
        inputMode="url"
        {...form.getInputProps('baseUrl')}
      />
      {isMoved && <Alert color="orange">{t('upstreams.moved')}</Alert>}
      {protocols.length > 1 && (
        <Select
          label={t('upstreams.protocol')}
          description={t('upstreams.protocolHint')}
          data={[
            { value: 'any', label: t('upstreams.anyProtocol') },
            ...protocols.map((value) => ({ value, label: protocolLabels[value] })),
          ]}
          allowDeselect={false}
          {...form.getInputProps('protocol')}
        />
      )}
    </>
  )
}

function createRequest(values: UpstreamValues): CreateUpstreamRequest {
  return {
    id: values.id,
    ...settingsOf(values),
    ...proxyOf(values),
    credential: values.credential === '' ? null : values.credential,
  }
}

/** Leaves out `isEnabled`: the switch above the form changes it immediately. */
function editOf(values: UpstreamValues): UpstreamEdit {
  const { isEnabled: _switched, ...edit } = settingsOf(values)
  return edit
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url
}
