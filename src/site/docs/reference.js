// Starts the renderer of the API reference. No outside request: no fonts, no telemetry, no proxy.
const place = document.getElementById('reference');
window.Scalar.createApiReference(place, {
  url: place.dataset.description,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  hideDarkModeToggle: true,
  persistAuth: false,
  theme: 'none',
  layout: 'modern',
  documentDownloadType: 'none',
  hideModels: true,
  defaultOpenAllTags: true,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  hiddenClients: true,
});
