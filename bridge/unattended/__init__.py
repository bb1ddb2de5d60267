"""The bridge page without a person: a headless browser, driven and watched as a service."""
