/** Why an alert is refused, with the names of the options. */
export const alertRefusals = {
  alert_url_needed: 'This channel needs --webhook-url-file or --webhook-url; see --help.',
  alert_secret_needed:
    'The channel webhook needs --signing-secret-file or --signing-secret; see --help.',
  alert_emails_needed: 'The channel email needs --email; see --help.',
  alert_email_stranger: ({ email }: Readonly<Record<string, string | number>>) =>
    `--email: "${email}" is not a verified member of the account; see "tollgate members list".`,
  alert_kinds_operator: '--kind: only an alert for the whole gateway can report this condition.',
  alert_field_unused:
    'An option does not fit the channel: email takes --email, webhook a webhook URL and a signing secret, slack a webhook URL.',
}
