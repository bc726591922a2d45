"""Readings of a GPU's power and clock while a block of code runs."""

import statistics
import threading
import time

import pynvml


class Readings:
    """Power in W and SM clock in MHz, every 50 ms while the block runs. NVML must be initialised."""

    def __enter__(self):
        self.samples, self.running = [], True
        self.thread = threading.Thread(target=self.read)
        self.thread.start()
        return self

    def read(self):
        device = pynvml.nvmlDeviceGetHandleByIndex(0)
        while self.running:
            power = pynvml.nvmlDeviceGetPowerUsage(device) / 1000
            self.samples.append((power, pynvml.nvmlDeviceGetClockInfo(device, pynvml.NVML_CLOCK_SM)))
            time.sleep(0.05)

    def __exit__(self, *_):
        self.running = False
        self.thread.join()

    def means(self):
        """Mean power and mean clock. The first half is left out, as some devices report a mean over the second before."""
        second = self.samples[len(self.samples) // 2 :]
        return tuple(statistics.fmean(values) for values in zip(*second))
