import type { WebhookSettings } from '../../operator/webhooks/settings.ts';
import type { StartOptions } from '../options/options.ts';
import { webhookSettings } from '../options/webhook-options.ts';

/** How a sandbox calls webhooks: on this machine, with a certificate that hooklet makes. */
export function localWebhooks(options: StartOptions): WebhookSettings {
  const settings = webhookSettings(options);
  const local = { listenAddress: '127.0.0.1', listenPort: 0 };
  return {
    ...settings,
    url: 'https://127.0.0.1:0',
    certificates: { type: 'self' },
    admission: { ...settings.admission, ...local },
    conversion: { ...settings.conversion, ...local },
  };
}
